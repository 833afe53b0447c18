//! One piece of work for each of many models: in parallel, in stable order, with a progress bar on a
//! terminal, and with clean results when it is interrupted.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{CliError, interrupt};
use crate::printable;

/// How many models are worked on at once.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Many models")]
pub struct BatchOptions {
    /// Models worked on at once [default: one a processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// What came of each model, in the order of the models.
#[derive(Debug)]
pub struct Batch<T> {
    /// Models that were finished, each with its result.
    pub done: Vec<(PathBuf, Result<T, CliError>)>,
    /// How many models there were.
    pub total: usize,
}

impl BatchOptions {
    /// Does the work for every model. After Ctrl-C models that were not begun are left out.
    ///
    /// # Errors
    /// When the threads cannot be started. What goes wrong with a model is that model's result.
    pub fn each<T: Send>(
        &self,
        models: &[PathBuf],
        work: impl Fn(&Path) -> Result<T, CliError> + Sync,
    ) -> Result<Batch<T>, CliError> {
        let several = models.len() > 1;
        let _going = several.then(interrupt::Batch::begin);
        let bar = if several && std::io::stderr().is_terminal() {
            bar(models.len() as u64)
        } else {
            ProgressBar::hidden()
        };
        let one = |path: &PathBuf| {
            if interrupt::is_interrupted() {
                return None;
            }
            bar.set_message(printable::path(path));
            let result = work(path);
            bar.inc(1);
            Some((path.clone(), result))
        };
        // More threads than models would only be started and stopped.
        let threads = self.jobs.map_or(0, |jobs| jobs.get().min(models.len().max(1)));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| CliError(format!("--jobs: {error}")))?;
        let done = pool.install(|| models.par_iter().filter_map(one).collect());
        bar.finish_and_clear();
        Ok(Batch { done, total: models.len() })
    }
}

fn bar(models: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta:>4}  {wide_msg}");
    ProgressBar::new(models).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl<T> Batch<T> {
    /// What something makes of every model that failed, in order.
    pub fn failed<E>(&self, told: impl Fn(&Path, &CliError) -> E) -> Vec<E> {
        let errors = self.done.iter().filter_map(|(path, result)| Some((path, result.as_ref().err()?)));
        errors.map(|(path, error)| told(path, error)).collect()
    }

    /// The results that are there, in order, and what went wrong with the other models: to be told after
    /// the results have been shown.
    pub fn split(self) -> (Vec<(PathBuf, T)>, Failures) {
        let missing = self.total - self.done.len();
        let (mut results, mut errors) = (Vec::new(), Vec::new());
        for (path, result) in self.done {
            match result {
                Ok(result) => results.push((path, result)),
                Err(error) => errors.push(error),
            }
        }
        if missing > 0 {
            let (done, total) = (self.total - missing, self.total);
            errors.push(CliError(format!("interrupted: {done} of {total} models done")));
        }
        (results, Failures(errors))
    }
}

/// What went wrong with the models of a batch.
#[derive(Debug)]
#[must_use]
pub struct Failures(Vec<CliError>);

impl Failures {
    /// Prints all errors but the last, which is given back.
    ///
    /// # Errors
    /// When there is one.
    pub fn into_result(mut self) -> Result<(), CliError> {
        let last = self.0.pop();
        for error in self.0 {
            anstream::eprintln!("skinsim: {error}");
        }
        last.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(count: usize) -> Vec<PathBuf> {
        (0..count).map(|at| format!("{at}").into()).collect()
    }

    #[test]
    fn results_are_in_the_order_of_the_models_whatever_the_number_of_jobs() {
        for jobs in [None, NonZeroUsize::new(1), NonZeroUsize::new(7)] {
            let batch = BatchOptions { jobs }.each(&paths(100), |path| Ok(path.to_owned())).unwrap();
            let (results, failures) = batch.split();
            assert!(results.iter().map(|(path, _)| path).eq(&paths(100)));
            assert!(results.iter().all(|(path, result)| path == result));
            assert!(failures.into_result().is_ok());
        }
    }

    #[test]
    fn no_more_threads_are_started_than_there_are_models() {
        let batch = BatchOptions { jobs: NonZeroUsize::new(usize::MAX) }
            .each(&paths(2), |_| Ok(rayon::current_num_threads()));
        let (results, _) = batch.unwrap().split();
        assert!(results.iter().all(|(_, threads)| *threads == 2));
    }

    #[test]
    fn a_model_that_fails_does_not_stop_the_others() {
        let batch = BatchOptions::default().each(&paths(9), |path| match path.to_str() {
            Some("4") => Err(CliError("four".to_owned())),
            _ => Ok(()),
        });
        let (results, failures) = batch.unwrap().split();
        assert_eq!((results.len(), failures.into_result().unwrap_err().0.as_str()), (8, "four"));
    }

    #[test]
    fn models_that_were_not_begun_are_an_error_that_counts_them() {
        let batch = Batch { done: vec![(PathBuf::new(), Ok(()))], total: 3 };
        let (_, failures) = batch.split();
        assert_eq!(failures.into_result().unwrap_err().0, "interrupted: 1 of 3 models done");
    }
}
