/// The version of all programs of the project, as journals and `--json` say it.
public let batonVersion = "0.1.0"
