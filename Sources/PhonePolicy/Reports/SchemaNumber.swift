/// The schema numbers of the databases of this version. A test compares them with those in docs/schema.
public enum SchemaNumber {
  public static let container = 2
  public static let ledger = 1
}
