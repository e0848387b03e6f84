import Baton
import Foundation
import Testing
import WaitingTests

@testable import IOSd

@Suite(.waits) struct BackgroundAudioTests {
  private static func left(_ app: String, _ options: [String] = ["--background-mode", "audio"]) throws
    -> PhoneProcess
  {
    let phone = try PhoneProcess(app: app, options)
    try phone.ask("open")
    try phone.ask("home")
    return phone
  }

  private static func wait(_ phone: PhoneProcess, forText text: String) throws {
    try Wait.until("the app says \(text)") {
      let app = try phone.status()["app"] as? [String: Any]
      return ((app?["status"] as? [String: Any])?["text"] as? String)?.contains(text) == true
    }
  }

  @Test
  func `M-1.2, M-1.4, M-1.5, M-1.7 The status shows the app's audio until another app's audio interrupts it`()
    throws
  {
    let phone = try Self.left("app-audio")
    try Wait.until("it plays") { try phone.status()["now_playing"] != nil }
    let playing = try #require(try phone.status()["now_playing"] as? [String: Any])
    #expect(playing["by"] as? String == "app")
    #expect(playing["volume"] as? String == "0.01")
    #expect(playing["loops"] as? Int == -1)
    #expect(playing["mixes"] as? Bool == false)
    try phone.ask("device", ["audio": "yes"])
    #expect(try phone.status()["now_playing"] == nil)
    try Self.wait(phone, forText: "interrupted")
  }

  @Test
  func `M-1.1 Audio without the declared background mode is refused`() throws {
    let phone = try Self.left("app-audio", [])
    try Self.wait(phone, forText: "has not declared the background mode audio")
    #expect(try phone.status()["now_playing"] == nil)
  }

  @Test
  func `M-1.3 Audio at volume 0 is refused, as it counts as idle`() throws {
    let phone = try Self.left("app-audio-silent")
    try Self.wait(phone, forText: "counts as idle")
    #expect(try phone.status()["now_playing"] == nil)
  }

  @Test
  func `M-1.2 Audio that mixes keeps playing beside another app's audio`() throws {
    let phone = try Self.left("app-audio-mixing")
    try Wait.until("it plays") { try phone.status()["now_playing"] != nil }
    try phone.ask("device", ["audio": "yes"])
    #expect(try phone.status()["now_playing"] != nil)
  }

  @Test
  func
    `M-1.4, M-13.1 The wallet plays an endless second of audio, only in the background, and only with --keep-alive-audio`()
    throws
  {
    let app = "\(PhoneProcess.products)/mainappd"
    let quiet = try Self.left(app)
    let other = try Self.left(app, ["--background-mode", "audio", "--keep-alive-audio"])
    try Wait.until("it plays") { try other.status()["now_playing"] != nil }
    let playing = try #require(try other.status()["now_playing"] as? [String: Any])
    #expect(playing["volume"] as? String == "0.01")
    #expect(playing["loops"] as? Int == -1 && playing["channels"] as? Int == 1)
    #expect(playing["rate_hz"] as? Int == 44_100 && playing["frames"] as? Int == 44_100)
    #expect(try quiet.status()["now_playing"] == nil)
    try other.ask("open")
    try Wait.until("it stops") { try other.status()["now_playing"] == nil }
  }

  @Test
  func `A volume is 0 to 1 with at most three decimals; other texts are refused`() throws {
    for (text, thousandths) in [("0", 0), ("1", 1000), ("0.01", 10), ("0.5", 500), ("1.000", 1000)] {
      #expect(try AudioMessages.volume(text) == thousandths)
    }
    for text in ["", ".", "1.", ".5", "1.001", "2", "-1", "0.0001", "0.0.1", "1e0", "٣", "+1"] {
      #expect(throws: (any Error).self) { try AudioMessages.volume(text) }
    }
    for thousandths in [0, 1, 10, 250, 999, 1000] {
      #expect(try AudioMessages.volume(AudioMessages.volumeText(thousandths)) == thousandths)
    }
  }
}
