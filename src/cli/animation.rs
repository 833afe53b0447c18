//! Options that pose a Character Pipeline model: skeleton, animation, order of bones.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::CliError;
use super::input::Input;
use crate::bytes::{Endian, View};
use crate::c3::format::act::{Control, control};
use crate::c3::format::anm::Anm;
use crate::c3::poses::Rig;
use crate::c3::runtime::animate::{Bank, Ease, Play, Player};
use crate::c3::runtime::pose::{Actor, Library, Order};

/// Options of the pose, the same for every command that poses a model.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pose (GameCube / Wii)")]
pub struct AnimationOptions {
    /// Frames: each is a tick of the animation and what follows from it
    #[arg(long, default_value_t = 1)]
    pub frames: u32,
    /// Animation bank, sequence by number or name, and the clock at the first tick; without FILE the
    /// model's own .anm [default: sequence 0 from time 0]
    #[arg(long, value_name = "FILE[:SEQUENCE][@TIME]", value_parser = parse_animation)]
    pub anim: Option<AnimationName>,
    /// The clock at the first tick, if not in --anim; floats are decimal or 0x and the eight digits
    /// of their bits
    #[arg(long, value_name = "TIME", value_parser = parse_float, allow_hyphen_values = true, requires = "anim")]
    pub time: Option<f32>,
    /// What each tick adds to the clocks [default: 1, as the library starts them]
    #[arg(long, value_name = "TIME", value_parser = parse_float, allow_hyphen_values = true, requires = "anim")]
    pub speed: Option<f32>,
    /// Ticks per second, for banks that count in seconds: --speed 1/FPS
    #[arg(long, value_name = "FPS", value_parser = parse_rate, conflicts_with = "speed", requires = "anim")]
    pub fps: Option<f32>,
    /// Order of the bone array; auto: table for a block, pre-order for a loose skeleton
    #[arg(long, value_enum, default_value_t = OrderName::Auto)]
    pub bone_order: OrderName,
    /// Ease curve: the one that is continuous, or the one the library's listing has
    #[arg(long, value_enum, default_value_t = EaseName::Continuous)]
    pub ease: EaseName,
    /// The actor's own transform: a control record as 104 hex digits
    #[arg(long, value_name = "HEX", value_parser = parse_control)]
    pub world_control: Option<Control>,
    /// Which library builds the matrices (the later one turns the axes of the scale)
    #[arg(long, value_enum, default_value_t = LibraryName::April2001)]
    pub library: LibraryName,
}

/// Order of the bone array, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// By the kind of file
    Auto,
    /// A bone, its children, its next sibling
    Preorder,
    /// As the records lie in the file
    Table,
}

/// Ease curve, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EaseName {
    /// Joins its pieces and ends at 1
    Continuous,
    /// As recorded from the library's listing
    Listing,
}

/// Library, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LibraryName {
    /// Five type bits
    #[value(name = "april-2001")]
    April2001,
    /// Mario Superstar Baseball's: a sixth bit turns the axes of the scale
    Superstar,
}

/// What `--anim` names.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimationName {
    /// The file; empty for the model's own bank.
    pub file: PathBuf,
    /// Sequence by number or name.
    pub sequence: Option<String>,
    /// The clock at the first tick.
    pub start: Option<f32>,
}

impl std::fmt::Display for AnimationName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        write!(f, "{stem}:{}", self.sequence.as_deref().unwrap_or("0"))?;
        self.start.map_or(Ok(()), |start| write!(f, "@{start}"))
    }
}

/// Splits `FILE[:SEQUENCE][@TIME]` from the right; a colon belongs to the file when a path follows it.
fn parse_animation(text: &str) -> Result<AnimationName, String> {
    let plain = |file: &str| AnimationName { file: file.into(), sequence: None, start: None };
    if Path::new(text).is_file() {
        return Ok(plain(text));
    }
    let (rest, start) = match text.rsplit_once('@') {
        Some((rest, time)) => (rest, Some(parse_float(time)?)),
        None => (text, None),
    };
    if Path::new(rest).is_file() {
        return Ok(AnimationName { start, ..plain(rest) });
    }
    Ok(match rest.rsplit_once(':') {
        Some((file, sequence)) if !sequence.is_empty() && !sequence.contains(['/', '\\']) => {
            AnimationName { file: file.into(), sequence: Some(sequence.to_owned()), start }
        }
        _ => AnimationName { start, ..plain(rest) },
    })
}

/// Reads a float: decimal, or `0x` and the eight hex digits of its bits.
pub(super) fn parse_float(text: &str) -> Result<f32, String> {
    let bits = text.strip_prefix("0x").filter(|digits| digits.len() == 8);
    match bits.map(|digits| u32::from_str_radix(digits, 16)) {
        Some(Ok(bits)) => Ok(f32::from_bits(bits)),
        _ => text
            .parse()
            .map_err(|_| format!("want a number such as 0.35, or 0x and the bits of a float, have {text:?}")),
    }
}

fn parse_rate(text: &str) -> Result<f32, String> {
    parse_float(text).and_then(|rate| match rate {
        rate if rate > 0.0 && rate.is_finite() => Ok(rate),
        rate => Err(format!("want ticks per second above 0, have {rate}")),
    })
}

fn parse_control(text: &str) -> Result<Control, String> {
    let digits = text.as_bytes();
    let want = 2 * control::SIZE as usize;
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    let bytes = bytes.filter(|_| digits.len() >= want).ok_or_else(|| {
        format!("want a control record as {want} hex digits, have {} characters", digits.len())
    })?;
    Control::parse(View::new(&bytes, Endian::Big), 0).map_err(|error| error.to_string())
}

/// An animation that was read.
#[derive(Debug)]
pub struct Animation {
    /// The file.
    pub input: Input,
    /// The sequence's number.
    pub sequence: usize,
    /// How it is played.
    pub play: Play,
}

impl AnimationOptions {
    /// How the skeleton is loaded.
    pub fn rig(&self) -> Rig {
        Rig {
            order: match self.bone_order {
                OrderName::Auto => None,
                OrderName::Preorder => Some(Order::PreOrder),
                OrderName::Table => Some(Order::Table),
            },
            library: match self.library {
                LibraryName::April2001 => Library::April2001,
                LibraryName::Superstar => Library::Superstar,
            },
            world: self.world_control.unwrap_or(Control::IDENTITY),
        }
    }

    /// The bank that `--anim` names; none where it names none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn named_bank(&self) -> Result<Option<Input>, CliError> {
        let named = self.anim.as_ref().map(|name| name.file.as_path());
        named.filter(|file| !file.as_os_str().is_empty()).map(Input::read).transpose()
    }

    /// The animation that the options name; `own` is the model's own bank, or the named one if that was read.
    ///
    /// # Errors
    /// When the file cannot be read, is not a bank, or has no such sequence.
    pub fn animation(&self, own: Option<&Input>) -> Result<Option<Animation>, CliError> {
        let Some(name) = &self.anim else { return Ok(None) };
        if name.start.is_some() && self.time.is_some() {
            return Err(CliError("--time: want no time in --anim beside it, have two".to_owned()));
        }
        let input = match (name.file.as_os_str().is_empty(), own) {
            (false, Some(own)) if own.path == name.file => own.clone(),
            (false, _) => Input::read(&name.file)?,
            (true, Some(own)) => own.clone(),
            (true, None) => {
                return Err(CliError("--anim names no file, and the model has no .anm beside it".to_owned()));
            }
        };
        let error = |error: &dyn std::fmt::Display| CliError::file(&input.path, error);
        let anm = Anm::parse(&input.bytes).map_err(|e| error(&e))?;
        anm.require_version().and_then(|()| anm.require_table()).map_err(|e| error(&e))?;
        let sequence = sequence(&anm, name.sequence.as_deref()).map_err(|e| error(&e))?;
        let play = Play {
            sequence,
            start: name.start.or(self.time).unwrap_or(0.0),
            speed: self.speed.or(self.fps.map(|fps| 1.0 / fps)).unwrap_or(1.0),
            ease: match self.ease {
                EaseName::Continuous => Ease::Continuous,
                EaseName::Listing => Ease::Listing,
            },
        };
        Ok(Some(Animation { input, sequence, play }))
    }
}

/// A sequence by number, or by name where it is not a number.
fn sequence(anm: &Anm, name: Option<&str>) -> Result<usize, String> {
    let Some(name) = name else { return Ok(0) };
    if let Ok(index) = name.parse() {
        return Ok(index);
    }
    anm.sequence_named(name.as_bytes()).ok_or_else(|| {
        let names: Vec<String> = anm
            .sequences
            .iter()
            .filter_map(|sequence| anm.name(sequence))
            .map(|name| format!("{:?}", String::from_utf8_lossy(name)))
            .collect();
        let have = if names.is_empty() { "no named ones".to_owned() } else { names.join(", ") };
        format!("want a sequence named {name:?}, have {have}")
    })
}

impl Animation {
    /// The animation's name for people: file, sequence, start.
    pub fn name(&self) -> String {
        let stem = self.input.path.file_stem().unwrap_or_default().to_string_lossy();
        format!("{stem}:{}@{}", self.sequence, self.play.start)
    }

    /// Puts the actor on the sequence.
    ///
    /// # Errors
    /// When the bank does not hold what it counts, or has no such sequence.
    pub fn player(&self, actor: Actor) -> Result<Player, CliError> {
        let error = |error| CliError::file(&self.input.path, error);
        let anm = Anm::parse(&self.input.bytes).map_err(error)?;
        let bank = Bank::load(&anm).map_err(error)?;
        Player::animated(actor, bank, self.play).map_err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Option<String>, Option<f32>) {
        let name = parse_animation(text).unwrap();
        (name.file.display().to_string(), name.sequence, name.start)
    }

    #[test]
    fn an_animation_is_a_file_a_sequence_and_a_time() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parsed("walk.anm"), ("walk.anm".to_owned(), None, None));
        assert_eq!(parsed("walk.anm:run@0.35"), ("walk.anm".to_owned(), some("run"), Some(0.35)));
        assert_eq!(parsed("C:\\walk.anm@-1"), ("C:\\walk.anm".to_owned(), None, Some(-1.0)));
        assert_eq!(parsed("a:b/walk.anm:2"), ("a:b/walk.anm".to_owned(), some("2"), None));
        assert_eq!(parsed(":1@0x3f800001"), (String::new(), some("1"), Some(f32::from_bits(0x3f80_0001))));
        assert!(parse_animation("walk.anm@soon").is_err());
    }

    #[test]
    fn a_control_takes_a_whole_record() {
        let hex = format!("08{}", "0".repeat(102));
        assert_eq!(parse_control(&hex).unwrap().bits, control::TRANSLATION);
        assert!(parse_control(&hex[2..]).unwrap_err().contains("104 hex digits"));
        assert!(parse_control(&"é".repeat(52)).is_err());
    }
}
