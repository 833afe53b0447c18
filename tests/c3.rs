//! Character Pipeline models: format, rules and what the commands print about them.

mod c3 {
    mod check;
    mod explain;
    mod face;
    mod format;
    mod info;
    mod logs;
    mod output;
    mod pose;
    mod ram;
    mod rules;
    mod written;
}
