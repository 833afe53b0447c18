//! The processor: recorded vectors, own programs, and agreement with the direct model.

mod cpu {
    mod arithmetic;
    mod quantized;
    mod support;
}
