//! The processor: recorded vectors, own programs, and agreement with the direct model.

mod cpu {
    mod agreement;
    mod arithmetic;
    mod bad_access;
    #[path = "../skn/case.rs"]
    mod case;
    mod command;
    mod deferred;
    mod edges;
    mod engine;
    mod estimates;
    mod hostile;
    mod machine_state;
    mod oracle_kernel;
    mod programs;
    mod quantized;
    mod recordings;
    mod support;
    mod trace;
}
