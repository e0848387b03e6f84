import DaemonRuntime
import Glibc
import PhonePolicy

/// The file of the device's switches. It is replaced atomically.
struct DeviceFile {
  static let sizeMax = 4096

  private let path: String
  /// The state at the start.
  let state: DeviceState
  /// The file exists and is malformed.
  let wasDamaged: Bool

  init(_ path: String) throws(SystemError) {
    self.path = path
    guard let bytes = try SmallFile.readOwn(path, limit: Self.sizeMax + 1) else {
      (state, wasDamaged) = (DeviceState(), false)
      return
    }
    let kept = Self.read(bytes)
    state = (kept ?? DeviceState()).afterBoot
    wasDamaged = kept == nil
  }

  /// Nil if malformed.
  static func read(_ bytes: [UInt8]) -> DeviceState? {
    guard bytes.count <= sizeMax else { return nil }
    return DeviceState(json: bytes).flatMap { $0.isPossible ? $0 : nil }
  }

  func write(_ state: DeviceState) throws(SystemError) {
    try PlainFile.replace(path, with: Array("\(state.json)\n".utf8), syncs: true)
  }
}

extension PhoneShell {
  /// A failed write only loses the switches at the next start.
  func save(_ state: DeviceState) {
    do throws(SystemError) {
      try deviceFile.write(state)
    } catch { journal.note("the device's switches will be lost when iosd ends: \(error)") }
    markStorage(isFull: state.isStorageFull)
  }

  /// The Database module of app and extension looks for the file before each write that needs more room.
  func markStorage(isFull: Bool) {
    guard isFull != (access(home.fullDisk, F_OK) == 0) else { return }
    guard isFull else {
      unlink(home.fullDisk)
      return journal.note("the storage has room again")
    }
    do throws(SystemError) {
      close(try PlainFile.open(home.fullDisk, O_RDWR | O_CREAT))
      journal.note("the storage is full: writes of app and extension that need more room fail")
    } catch { journal.note("the storage is not full for the wallet: \(error)") }
  }
}

/// The file of the app's registered categories: notifications outlive the app and can be answered before it runs
/// again.
final class CategoryFile {
  private let path: String
  /// The categories at the start.
  let categories: [NotificationCategory]
  /// Why the file could not be read; nil if it is missing or valid.
  let trouble: String?
  /// The last write failed, so the file is out of date.
  private(set) var isOutdated = false

  init(_ path: String) {
    self.path = path
    let kept: [NotificationCategory]?
    var sentence = "\(path) cannot be read"
    do throws(SystemError) {
      guard let bytes = try SmallFile.readOwn(path, limit: CategoryList.sizeMax + 1) else {
        (categories, trouble) = ([], nil)
        return
      }
      kept = CategoryList.read(bytes)
    } catch {
      kept = nil
      sentence = error.description
    }
    categories = kept ?? []
    trouble = kept == nil ? "\(sentence): the app has to register its categories again" : nil
  }

  func write(_ categories: [NotificationCategory]) throws(SystemError) {
    isOutdated = true
    try PlainFile.replace(path, with: Array(categories.json.utf8), syncs: true)
    isOutdated = false
  }
}

/// Reads the app's categories from its message and from their file.
enum CategoryList {
  private static let countMax = 32
  private static let actionsMax = 8
  static let sizeMax = 32_768

  /// Nil if malformed or if an identifier is duplicated.
  static func read(_ bytes: [UInt8]) -> [NotificationCategory]? {
    guard bytes.count <= sizeMax, var categories = [NotificationCategory](json: bytes),
      categories.count <= countMax, isOneEach(categories.map(\.id)),
      categories.allSatisfy({ $0.actions.count <= actionsMax && isOneEach($0.actions.map(\.id)) })
    else { return nil }
    for category in categories.indices {
      for action in categories[category].actions.indices {
        let title = categories[category].actions[action].title
        categories[category].actions[action].title = ScreenText.cut(title, to: ScreenText.nameMax)
      }
    }
    return categories
  }

  /// Ids are short printable ASCII: they are used in messages and on command lines.
  private static func isOneEach(_ names: [String]) -> Bool {
    Set(names).count == names.count
      && names.allSatisfy { name in
        !name.isEmpty && name.utf8.count <= ScreenText.nameMax
          && name.utf8.allSatisfy { (33...126).contains($0) }
      }
  }
}
