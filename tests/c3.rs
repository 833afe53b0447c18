//! Character Pipeline models: format, rules and what the commands print about them.

mod c3 {
    mod format;
    mod info;
    mod pose;
}
