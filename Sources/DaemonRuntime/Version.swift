/// The version of all programs of the project, in journals and `--json`.
public let batonVersion = "0.2.0"
/// The day of that version, in manual pages.
public let batonDate = "November 28, 2026"
