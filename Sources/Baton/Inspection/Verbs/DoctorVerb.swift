import DaemonRuntime

/// Says what is wrong, what it means and what to do.
package enum DoctorVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "doctor", summary: "what is wrong with a phone or container, what it means, and what to do",
    options: [
      OptionDeclaration(
        "--deep", help: "check each page and index of the database, and search all bytes for keys"),
      OptionDeclaration(
        "--fix", help: "do what cannot lose anything: take away others' rights, create missing lock files"),
    ],
    positionals: [
      PositionalDeclaration(
        "DIR", value: .path("DIR"), count: .optional,
        help: "a phone's directory, or an App Group directory; default: that of --home, if it is there")
    ],
    examples: [
      ("baton doctor", "this phone and this machine, the gravest finding first"),
      ("baton doctor /tmp/copy-of-AppGroup --deep", "a copy from another machine, each page"),
      ("baton doctor --fix", "mend what cannot lose anything, and say what was done"),
    ])

  package static let copiesDatabases = true

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let named = line.positionals.first
    let isNamed = named != nil || line.isGiven("--home")
    let isThere = FilePath.exists(invocation.home)
    let place = isNamed || isThere ? ContainerPlace(named ?? invocation.home) : nil
    let isDeep = line.isGiven("--deep")
    var report = try DoctorReport(place, isDeep: isDeep, mustBeThere: named != nil)
    var repair = Repair()
    if line.isGiven("--fix") {
      repair = Repair(report.findings)
      if !repair.done.isEmpty { report = try DoctorReport(place, isDeep: isDeep, mustBeThere: named != nil) }
    }
    let output = invocation.output
    if output.isJSON {
      output.say(report.document(repair))
    } else {
      for sentence in repair.done { output.say(output.paint("done: \(sentence)", .green)) }
      for sentence in repair.failed { output.say(output.paint("not done: \(sentence)", .red)) }
      if !repair.done.isEmpty || !repair.failed.isEmpty { output.say("") }
      report.tell(output)
    }
    return report.findings.exitCode
  }
}
