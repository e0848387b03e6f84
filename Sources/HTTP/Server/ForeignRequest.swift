import DaemonRuntime

/// Why a server of this machine does not answer a request: every page of the web can send requests to 127.0.0.1, so the
/// address alone proves nothing.
public enum ForeignRequest: Error, Hashable, Sendable, CustomStringConvertible {
  /// RFC 9112, 3.2.
  case repeatedHost
  /// A page that has this address under a name of its own (DNS rebinding).
  case otherHost
  /// A page of another site, by its Origin or its Sec-Fetch-Site: an image has no Origin.
  case otherSite

  static let headers = ["Origin", "Sec-Fetch-Site"]
  /// `none`: the user has typed the address. To a browser a server on another port is of the same site.
  private static let ownSites = ["same-origin", "none"]

  public var status: Int {
    switch self {
    case .repeatedHost: 400
    case .otherHost: 421
    case .otherSite: 403
    }
  }

  public var description: String {
    switch self {
    case .repeatedHost: "the request has more than one Host header; send one"
    case .otherHost: "the Host header does not name this server; use the URL that the server gives"
    case .otherSite: "a page of another site may not ask; use the URL that the server gives"
    }
  }

  /// Of a server on this port.
  public static func check(_ request: HTTPRequest, port: UInt16) throws(ForeignRequest) {
    guard !request.repeatsHost else { throw .repeatedHost }
    guard let host = request.host?.lowercased(), HostAndPort.localNames(port: port).contains(host) else {
      throw .otherHost
    }
    let origin = request.headers["Origin"]?.lowercased() ?? "http://\(host)"
    let site = request.headers["Sec-Fetch-Site"]?.lowercased() ?? "none"
    guard origin == "http://\(host)", ownSites.contains(site) else { throw .otherSite }
  }
}
