//! The processor: recorded vectors, own programs, and agreement with the direct model.

mod cpu {
    mod agreement;
    mod arithmetic;
    #[path = "../skn/case.rs"]
    mod case;
    mod command;
    mod engine;
    mod estimates;
    mod programs;
    mod quantized;
    mod support;
}
