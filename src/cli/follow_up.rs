//! Commands that a report names to go on with, as they can be typed.

use std::ffi::OsStr;
use std::path::Path;

use clap::CommandFactory;

use super::given::Given;

/// `skinsim COMMAND MODEL`, with those of the options given that the command takes too, and with `more` behind.
/// Nothing where it cannot be written: the model came from standard input, or a word of it is no printable text.
pub fn command(given: &Given, name: &str, model: &Path, more: &[&str]) -> Option<String> {
    if model.as_os_str() == "-" {
        return None;
    }
    let program = crate::cli::Cli::command();
    let options = given.shared_with(program.find_subcommand(name)?);
    // What begins with a hyphen would be taken for an option.
    let model = if model.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(model)
    } else {
        model.to_owned()
    };
    let words = [OsStr::new("skinsim"), OsStr::new(name), model.as_os_str()].into_iter();
    let words = words.chain(options.iter().map(AsRef::as_ref)).chain(more.iter().map(OsStr::new));
    let quoted = |word: &OsStr| {
        let word = word.to_str().filter(|word| !word.chars().any(char::is_control))?;
        shlex::try_quote(word).ok().map(std::borrow::Cow::into_owned)
    };
    Some(words.map(quoted).collect::<Option<Vec<_>>>()?.join(" "))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    fn given(arguments: &[&str]) -> Given {
        let mut command = crate::cli::Cli::command();
        command.build();
        let matches = command.clone().try_get_matches_from([&["skinsim"], arguments].concat()).unwrap();
        crate::cli::Cli::from_arg_matches(&matches).unwrap();
        Given::of(&command, &matches)
    }

    #[test]
    fn what_says_which_model_is_meant_goes_along() {
        let typed = given(&[
            "run",
            "a b.skn",
            "--gpl",
            "it's.gpl",
            "--target",
            "console",
            "--frames",
            "3",
            "--address=0x80b00000",
            "--json",
        ]);
        let check = command(&typed, "check", Path::new("a b.skn"), &["--target", "console"]).unwrap();
        let words = shlex::split(&check).unwrap();
        assert_eq!(words[..3], ["skinsim", "check", "a b.skn"]);
        let has = |pair: [&str; 2]| words.windows(2).any(|two| two == pair);
        assert!(
            has(["--gpl", "it's.gpl"]) && has(["--target", "console"]) && has(["--address", "0x80b00000"])
        );
        assert_eq!(words.len(), 9, "{check}");
        let repair = command(&typed, "repair", Path::new("-x.skn"), &["-o", "mended.gpl"]).unwrap();
        let words = shlex::split(&repair).unwrap();
        assert_eq!(words, ["skinsim", "repair", "./-x.skn", "--gpl", "it's.gpl", "-o", "mended.gpl"]);
    }

    #[test]
    fn a_value_that_looks_like_an_option_is_tied_to_its_name() {
        let typed = given(&["explain", "x", "m.gpl", "--skn=-a b.skn"]);
        let check = command(&typed, "check", Path::new("m.gpl"), &[]).unwrap();
        assert_eq!(shlex::split(&check).unwrap(), ["skinsim", "check", "m.gpl", "--skn=-a b.skn"]);
    }

    #[test]
    fn what_cannot_be_typed_is_not_named() {
        assert_eq!(command(&given(&["check", "-"]), "check", Path::new("-"), &[]), None);
        assert_eq!(command(&given(&["check", "m"]), "check", Path::new("a\nb"), &[]), None);
    }
}
