//! Options of facial poses.

use clap::{Args, ValueEnum};

use super::CliError;
use super::animation::parse_float;
use super::model::ModelBytes;
use crate::c3::model::Model;
use crate::c3::runtime::face::{Face, FaceOptions, FaceRounding, FaceStore, FaceWeight};

/// Facial poses that are on.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Facial poses (Wii)")]
pub struct FaceArgs {
    /// Facial poses that are on and how far, such as 1=0.5,3=1; with OBJECT only that object's. They are
    /// written where the game writes them: behind the SKN's lists, 12 bytes a vertex
    #[arg(long, value_name = "[OBJECT:]INDEX=WEIGHT", value_delimiter = ',', value_parser = parse_weight)]
    pub face: Vec<FaceWeight>,
    /// How weighted sums become integers (unproven)
    #[arg(long, value_enum, default_value_t, requires = "face")]
    pub face_rounding: RoundingName,
    /// Whether the values reach memory before the transfers read it: stored from the data cache, or not
    /// (unproven; shows on the console target only)
    #[arg(long, value_enum, default_value_t, requires = "face")]
    pub face_store: StoreName,
}

/// How sums become integers, on the command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RoundingName {
    /// Toward zero
    #[default]
    Truncate,
    /// To the nearest
    Nearest,
}

/// Whether values are stored, on the command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum StoreName {
    /// Line by line, as they are written
    #[default]
    Stored,
    /// Left in the data cache
    Cached,
}

fn parse_weight(text: &str) -> Result<FaceWeight, String> {
    let wrong = || format!("want INDEX=WEIGHT or OBJECT:INDEX=WEIGHT, such as 1=0.5, have {text:?}");
    let (pose, weight) = text.split_once('=').ok_or_else(wrong)?;
    let (object, pose) = match pose.split_once(':') {
        Some((object, pose)) => (Some(object.trim().parse().map_err(|_| wrong())?), pose),
        None => (None, pose),
    };
    let pose = pose.trim().parse().map_err(|_| wrong())?;
    let weight = parse_float(weight.trim()).ok().filter(|weight| weight.is_finite()).ok_or_else(wrong)?;
    if pose == 0 && weight != 1.0 {
        return Err(format!("pose 0 is the neutral one, always there: want 0=1, have {text:?}"));
    }
    Ok(FaceWeight { object, pose, weight })
}

impl FaceArgs {
    /// What is written before every frame.
    ///
    /// # Errors
    /// When the model has no such pose, or its values lie outside of the section.
    pub fn face(&self, bytes: &ModelBytes, model: &Model) -> Result<Face, CliError> {
        for (index, weight) in self.face.iter().enumerate() {
            let same = |other: &FaceWeight| (other.object, other.pose) == (weight.object, weight.pose);
            if self.face[..index].iter().any(same) {
                return Err(CliError(format!("--face: want one weight for pose {}, have two", weight.pose)));
            }
        }
        let options = FaceOptions {
            weights: self.face.clone(),
            rounding: match self.face_rounding {
                RoundingName::Truncate => FaceRounding::Truncate,
                RoundingName::Nearest => FaceRounding::Nearest,
            },
            store: match self.face_store {
                StoreName::Stored => FaceStore::Stored,
                StoreName::Cached => FaceStore::Cached,
            },
        };
        Face::of(model, &options).map_err(|error| CliError::file(bytes.path(), format!("--face: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_that_of_a_pose_of_one_object_or_of_all() {
        let parsed =
            |text: &str| parse_weight(text).map(|weight| (weight.object, weight.pose, weight.weight));
        assert_eq!(parsed("3=0.25"), Ok((None, 3, 0.25)));
        assert_eq!(parsed("2:1=-1"), Ok((Some(2), 1, -1.0)));
        assert_eq!(parsed("0=1"), Ok((None, 0, 1.0)));
        for wrong in ["3", "=1", "x=1", "1=", "1=x", "1=nan", "1:2:3=1", "-1=1", "1=inf"] {
            assert!(parsed(wrong).unwrap_err().contains("want INDEX=WEIGHT"), "{wrong}");
        }
        assert!(parsed("0=0.5").unwrap_err().contains("neutral"));
    }
}
