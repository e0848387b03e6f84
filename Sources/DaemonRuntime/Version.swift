/// The version of all programs of the project, in journals and `--json`.
public let batonVersion = "0.1.0"
