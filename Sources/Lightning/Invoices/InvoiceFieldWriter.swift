/// The data of an invoice up to its signature.
struct InvoiceFieldWriter {
  private var writer = BitWriter()
  private static let fieldWordsMax = 1023

  static func words(of fields: InvoiceFields) throws(InvoiceError) -> [UInt8] {
    var writer = InvoiceFieldWriter()
    try writer.write(fields)
    return writer.writer.words
  }

  private mutating func write(_ fields: InvoiceFields) throws(InvoiceError) {
    guard fields.timestamp <= InvoiceFields.timestampMax else { throw .timeIsImpossible }
    writer.number(fields.timestamp, words: 7)
    try bytes(.paymentSecret, fields.paymentSecret.bytes)
    try bytes(.paymentHash, fields.paymentHash.bytes)
    switch fields.purpose {
    case .text(let text): try bytes(.text, Array(text.utf8))
    case .hash(let hash): try bytes(.textHash, hash.bytes)
    }
    if let metadata = fields.metadata { try bytes(.metadata, metadata.array) }
    if let payee = fields.payee { try bytes(.payee, payee.bytes) }
    if let seconds = fields.expirySeconds { try number(.expiry, seconds) }
    if let delta = fields.finalExpiryDelta { try number(.finalExpiryDelta, delta) }
    for fallback in fields.fallbacks {
      var content = BitWriter()
      content.put([fallback.version])
      content.bytes(fallback.program.array)
      try field(.fallback, content.words)
    }
    for hint in fields.routeHints {
      guard !hint.isEmpty else { throw .badField(.routeHint) }
      try bytes(.routeHint, hint.flatMap(\.encoded))
    }
    let features = fields.features.words
    if !features.isEmpty { try field(.features, features) }
  }

  private mutating func bytes(_ tag: InvoiceTag, _ bytes: [UInt8]) throws(InvoiceError) {
    var content = BitWriter()
    content.bytes(bytes)
    try field(tag, content.words)
  }

  private mutating func number(_ tag: InvoiceTag, _ value: UInt64) throws(InvoiceError) {
    var content = BitWriter()
    content.shortest(value)
    try field(tag, content.words)
  }

  private mutating func field(_ tag: InvoiceTag, _ words: [UInt8]) throws(InvoiceError) {
    guard words.count <= Self.fieldWordsMax else { throw .fieldIsTooLong(tag) }
    writer.put([tag.rawValue])
    writer.number(UInt64(words.count), words: 2)
    writer.put(words)
  }
}
