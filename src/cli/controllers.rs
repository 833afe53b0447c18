//! Options that set a face's controllers: shared by `run` and `trace`.

use clap::{Args, ValueEnum};

use super::CliError;
use crate::mdl::format::Mdl;
use crate::mdl::runtime::controllers;
use crate::mdl::runtime::machine::{CountCheck, Sdk};

/// Controllers and the machine that reads them.
#[derive(Debug, Args)]
#[command(next_help_heading = "MDL")]
pub struct ControllerOptions {
    /// Set a controller, in its own range (repeatable); others stay at their minimum, as when a game
    /// sets nothing
    #[arg(long, value_name = "NAME=V")]
    pub set: Vec<Setting>,
    /// Set all controllers, in the model's order and in their own ranges
    #[arg(long, value_name = "V0,V1,…", allow_hyphen_values = true, conflicts_with = "set")]
    pub controllers: Option<Numbers>,
    /// Values are 0 to 1 over each controller's range, as they are networked
    #[arg(long)]
    pub normalized: bool,
    /// Whose stack machine: the 2025 SDK's, which checks every instruction, or an older one without
    /// checks
    #[arg(long, value_enum, default_value_t = SdkName::Checked)]
    pub sdk: SdkName,
    /// What the 2025 SDK compares the counts of COMBO and DOMINATE with: the number of controllers
    /// (a slip, but shipped) or only the stack's depth
    #[arg(long, value_enum, default_value_t = CountCheckName::Controllers)]
    pub count_check: CountCheckName,
}

/// `--sdk`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SdkName {
    /// Every instruction is checked
    #[value(name = "2025")]
    Checked,
    /// No checks
    #[value(name = "older")]
    Unchecked,
}

/// `--count-check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CountCheckName {
    /// Number of controllers
    Controllers,
    /// Depth of the stack
    Depth,
}

/// `NAME=V`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    name: String,
    value: f32,
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.rsplit_once('=').ok_or("want NAME=VALUE")?;
        Ok(Self { name: name.to_owned(), value: number(value)? })
    }
}

/// Numbers with commas between.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers(pub Vec<f32>);

impl std::str::FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self(Vec::new()));
        }
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

fn number(text: &str) -> Result<f32, String> {
    match text.trim().parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("want a number, have '{text}'")),
    }
}

impl ControllerOptions {
    /// Refuses options that would change nothing beside the others; `others_set` says whether values are set
    /// elsewhere, too.
    ///
    /// # Errors
    /// When there is one.
    pub fn refuse_idle(&self, others_set: bool) -> Result<(), CliError> {
        if self.normalized && self.set.is_empty() && self.controllers.is_none() && !others_set {
            let text = "--normalized: want values that it applies to (--set, --controllers), have none";
            return Err(CliError(text.to_owned()));
        }
        if self.count_check == CountCheckName::Depth && self.sdk == SdkName::Unchecked {
            let text = "--count-check depth: want --sdk 2025, which checks counts, have --sdk older";
            return Err(CliError(text.to_owned()));
        }
        Ok(())
    }

    /// Every controller's value in its own range.
    ///
    /// # Errors
    /// When a name is no controller's, or the list has another length than the model's.
    pub fn values(&self, mdl: &Mdl) -> Result<Vec<f32>, CliError> {
        let Some(Numbers(given)) = &self.controllers else {
            let mut values = controllers::minimums(mdl);
            self.apply(mdl, &self.set, &mut values)?;
            return Ok(values);
        };
        if given.len() != mdl.controllers.len() {
            return Err(CliError(format!(
                "--controllers: want {} values, one a controller of the model, have {}",
                mdl.controllers.len(),
                given.len()
            )));
        }
        let own = |(controller, &value): (_, &f32)| {
            if self.normalized { controllers::from_normalized(controller, value) } else { value }
        };
        Ok(std::iter::zip(&mdl.controllers, given).map(own).collect())
    }

    /// Sets controllers by name.
    ///
    /// # Errors
    /// When a name is no controller's.
    pub fn apply(&self, mdl: &Mdl, settings: &[Setting], values: &mut [f32]) -> Result<(), CliError> {
        for Setting { name, value } in settings {
            if controllers::set(mdl, values, name, *value, self.normalized) == 0 {
                let names: Vec<_> = mdl.controllers.iter().map(|controller| &*controller.name).collect();
                let have = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(CliError(format!("no controller is named '{name}'; the model has: {have}")));
            }
        }
        Ok(())
    }

    /// The machine asked for.
    pub fn sdk(&self) -> Sdk {
        match self.sdk {
            SdkName::Checked => Sdk::Checked,
            SdkName::Unchecked => Sdk::Unchecked,
        }
    }

    /// Its check of counts.
    pub fn count_check(&self) -> CountCheck {
        match self.count_check {
            CountCheckName::Controllers => CountCheck::Controllers,
            CountCheckName::Depth => CountCheck::Depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_lists_are_finite_numbers() {
        assert_eq!("a=b=-0.5".parse(), Ok(Setting { name: "a=b".to_owned(), value: -0.5 }));
        assert!("smile".parse::<Setting>().is_err());
        assert_eq!("-1, 2".parse(), Ok(Numbers(vec![-1.0, 2.0])));
        assert_eq!("".parse(), Ok(Numbers(vec![])));
        assert!("1,,2".parse::<Numbers>().is_err());
        assert!("nan".parse::<Numbers>().is_err());
    }
}
