@testable import HTTP
import TestKit

/// The check that all servers of this machine share.
@Suite struct ForeignRequestTests {
  private func refusal(
    _ headers: [String: String] = [:], host: String? = "127.0.0.1:4711", repeated: Bool = false
  ) -> ForeignRequest? {
    var request = HTTPRequest(method: "GET", target: "/", host: host, headers: headers)
    request.repeatsHost = repeated
    do throws(ForeignRequest) {
      try ForeignRequest.check(request, port: 4711)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    [:], ["Origin": "http://127.0.0.1:4711"], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
    ["Origin": "HTTP://127.0.0.1:4711", "Sec-Fetch-Site": "Same-Origin"],
  ])
  func `A program, a typed address and the server's own page may ask`(headers: [String: String]) {
    #expect(refusal(headers) == nil)
    #expect(refusal(host: "LocalHost:4711") == nil)
  }

  @Test(arguments: [
    ["Origin": "null"], ["Origin": "http://evil.example"], ["Origin": "http://127.0.0.1:4712"],
    ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": ""],
    ["Origin": "http://127.0.0.1:4711", "Sec-Fetch-Site": "cross-site"],
  ])
  func `A page of another site, also one of another port, may not ask`(headers: [String: String]) {
    #expect(refusal(headers) == .otherSite && ForeignRequest.otherSite.status == 403)
  }

  @Test(arguments: [nil, "", "127.0.0.1", "127.0.0.1:80", "evil.example:4711"])
  func `A Host that is not this server, and two Hosts, are refused`(host: String?) {
    #expect(refusal(host: host) == .otherHost && ForeignRequest.otherHost.status == 421)
    #expect(refusal(repeated: true) == .repeatedHost && ForeignRequest.repeatedHost.status == 400)
  }
}
