//! The processor: recorded vectors, own programs, and agreement with the direct model.

mod cpu {
    mod arithmetic;
    #[path = "../skn/case.rs"]
    mod case;
    mod command;
    mod engine;
    mod quantized;
    mod support;
}
