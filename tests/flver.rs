//! FLVER models: golden data, hand-made models, hostile bytes, the command line.

mod common;

mod flver {
    pub mod builder;
    mod command;
    mod golden;
    mod hostile;
    mod posed;
    mod rules;
    mod runtime;
}
