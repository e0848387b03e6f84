import PhonePolicy

@testable import IOSd

/// The notification categories that an app registers.
enum CategoryListFuzz: FuzzTarget {
  static let name = "category-list"
  static let longestInput = 1024

  static var seeds: [[UInt8]] {
    [
      #"[{"id":"PAY","actions":[{"id":"OPEN","title":"Open","foreground":true}],"dismiss":true}]"#,
      #"[{"id":"A","actions":[],"dismiss":false},{"id":"B","actions":[],"dismiss":true}]"#, "[]",
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let categories = CategoryList.read(bytes) else { return }
    promise(Set(categories.map(\.id)).count == categories.count, "a category is duplicated")
    promise(
      CategoryList.read(Array(categories.json.utf8)) == categories,
      "categories do not round-trip")
  }
}
