/// Findings of one kind, which are shown together: a damaged table would make thousands of them.
public struct FindingGroup: Hashable, Sendable {
  public private(set) var findings: [Finding]

  /// In the order in which each kind was found first; the same finding twice is one.
  public static func all(_ findings: [Finding]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    var places: [String: Int] = [:]
    var seen: Set<Finding> = []
    for finding in findings where seen.insert(finding).inserted {
      let kind = finding.kind
      if let place = places[kind] {
        groups[place].findings.append(finding)
      } else {
        places[kind] = groups.count
        groups.append(FindingGroup(findings: [finding]))
      }
    }
    return groups
  }
}
