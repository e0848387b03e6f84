import TestKit

@Suite struct ExpectTests {
  @Test func `Two values that differ are an issue that shows both`() {
    withKnownIssue {
      expect([1], is: [2], "the sums")
    } matching: {
      $0.comments.map(\.rawValue) == ["[1] is not [2]: the sums"]
    }
  }

  @Test func `Of two pages that differ the issue begins with the first line that does`() {
    withKnownIssue {
      expect("one\ntwo\n", is: "one\n2\nthree\n")
      expect("one\n", is: "one\ntwo")
    } matching: {
      let said = $0.comments.first?.rawValue ?? ""
      return ["line 2 is “two” in place of “2”\n", "line 2 is “” in place of “two”\n"].contains {
        said.hasPrefix($0)
      }
    }
  }
}
