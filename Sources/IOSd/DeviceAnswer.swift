import JSON
import DaemonRuntime
import PhonePolicy

/// The answer to `device`: how the phone is switched, and what of it is so in name alone.
struct DeviceAnswer: Encodable {
  var record: DeviceRecord
  var storageNote: String?

  private enum CodingKeys: String, CodingKey {
    case storageNote = "storage_note"
  }

  func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(storageNote, forKey: .storageNote)
  }

  var text: String { (try? JSONLineEncoder().encode(self)) ?? "{}" }
}
