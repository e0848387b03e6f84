/// A file or directory, as far as a diagnosis needs it.
package struct FileMark: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case plain
    case directory
    case socket
    case link
    /// A pipe or device.
    case other
  }

  package var path: String
  package var kind: Kind
  package var permissions: UInt32
  package var isOurs: Bool
  /// Baton's, by its name.
  package var isKnown: Bool
}

/// A secret that was found in a file.
package struct SecretMark: Hashable, Sendable {
  package var path: String
  /// What it is, such as `the wallet's seed`.
  package var what: String
  package var offset: Int

  package var finding: Finding {
    Finding(
      .secretInTheClear, "\(path) contains \(what) in the clear, at byte \(offset)",
      remedy:
        "find out which program wrote it, take the secret out of that program, and move the money to a new seed if others could read the file"
    )
  }
}
