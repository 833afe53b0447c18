//! Character Pipeline models: format, rules and what the commands print about them.

mod c3 {
    mod batch;
    mod check;
    mod explain;
    mod face;
    mod follow_up;
    mod format;
    mod ignored;
    mod info;
    mod logs;
    mod loose;
    mod output;
    mod pose;
    mod ram;
    mod rules;
    mod suspects;
    mod unread;
    mod written;
}
