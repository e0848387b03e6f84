import DaemonRuntime
import Glibc
import PhonePolicy
import SharedContainer

/// What is wrong with a container, its phone and this machine, the gravest first.
struct DoctorReport {
  struct Document: Report {
    /// Missing if there is no container to look at.
    var container: String?
    var deep: Bool
    /// The gravest first.
    var findings: [Finding.Document]
    /// As sentences.
    var notLookedAt: [String]
    /// With `--fix`: what was done.
    var fixed: [String]
    /// With `--fix`: what could not be done, and why.
    var notFixed: [String]
  }

  private let container: String?
  private let isDeep: Bool
  let findings: [Finding]
  private let unlooked: [String]

  /// `place` is nil if no phone was named and the default one is not there.
  init(_ place: ContainerPlace?, isDeep: Bool, mustBeThere: Bool) throws {
    self.isDeep = isDeep
    var findings = MachineLook.facts.findings
    guard let place else {
      (container, unlooked) = (nil, ["no phone is here, so only this machine was looked at"])
      self.findings = findings.worstFirst
      return
    }
    container = place.directory
    let phone = place.hasHome ? PhoneLook(place.phone) : nil
    var unlooked: [String] = []
    do throws(ContainerError) {
      let report = try ContainerReport(
        of: place.directory, clock: place.phone.clock, rows: ContainerReport.rowsMax, isThorough: isDeep,
        checksIndexes: isDeep, peerEpoch: phone?.peerEpoch)
      findings += report.findings
      if place.hasHome, !report.wallet.channels.isEmpty, let lost = PhoneLook.lostSeed(of: place.phone) {
        findings.append(lost)
      }
      if !report.snapshot.hasCheckedPages {
        unlooked.append("not every page of the database was checked, as it is large; --deep checks all")
      }
    } catch {
      switch error {
      case .missing where !place.phone.hasRun, .notAContainer, .neverBegun:
        // Programs of a team need not have one.
        if mustBeThere && phone == nil { throw error }
        unlooked.append("the container was not looked at: \(error)")
      default:
        if mustBeThere && phone == nil && Finding(damage: error) == nil { throw error }
        findings.append(Finding(error))
      }
    }
    findings += phone?.findings ?? []
    let secrets = SecretLook(place, all: isDeep)
    findings += secrets.findings
    if secrets.cut > 0 {
      let files = HumanText.count(secrets.cut, "large file")
      unlooked.append("only the beginning of \(files) was searched for keys; --deep searches all")
    }
    self.findings = findings.worstFirst
    self.unlooked = unlooked
  }

  func document(_ repair: Repair) -> Document {
    Document(
      container: container, deep: isDeep, findings: findings.map(\.document), notLookedAt: unlooked,
      fixed: repair.done, notFixed: repair.failed)
  }

  func tell(_ output: Output) {
    for (number, finding) in findings.enumerated() {
      let (colour, word): (Output.Colour, String) =
        switch finding.gravity {
        case .broken: (.red, "broken")
        case .wrong: (.yellow, "wrong")
        case .note: (.dim, "note")
        }
      output.say(
        "\(number == 0 ? "" : "\n")\(output.paint(word, colour))  \(output.paint(finding.kind.word, .bold))"
      )
      output.facts([("  what", finding.what), ("  means", finding.kind.meaning)])
      if !finding.remedy.isEmpty { output.facts([("  do   ", finding.remedy)]) }
      if let fix = finding.fix { output.facts([("  --fix", "would \(fix.sentence)")]) }
    }
    if findings.isEmpty { output.say("nothing wrong was found") }
    for sentence in unlooked { output.say("\n\(output.paint(sentence, .dim))") }
  }
}

extension Sequence<Finding> {
  /// The exit code of a check.
  var exitCode: ExitCode {
    let gravities = Set(map(\.gravity))
    if gravities.contains(.broken) { return .exclusionOrMoneyBroken }
    return gravities.contains(.wrong) ? .differs : .done
  }
}

/// Carries out what `doctor --fix` may: only changes that cannot lose anything.
struct Repair {
  private(set) var done: [String] = []
  private(set) var failed: [String] = []

  /// Nothing is done.
  init() {}

  init(_ findings: [Finding]) {
    var known: Set<Fix> = []
    for fix in findings.compactMap(\.fix) where known.insert(fix).inserted {
      if let problem = Self.perform(fix) {
        failed.append("\(fix.sentence): \(problem)")
      } else {
        done.append(fix.sentence)
      }
    }
  }

  /// The problem, or nil.
  private static func perform(_ fix: Fix) -> String? {
    switch fix {
    case .narrow(let path, let mode):
      // Not through a link, and only on this user's file: the descriptor is what was checked.
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return SystemError("open it").description }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
        return "it is not this user's"
      }
      guard fchmod(descriptor, mode_t(mode)) == 0 else { return SystemError("change its mode").description }
    case .createLock(let path):
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return errno == EEXIST ? nil : SystemError("create it").description }
      close(descriptor)
    }
    return nil
  }
}
