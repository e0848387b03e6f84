/// The schema numbers of the databases of this version. A test compares them with the tables of docs/schema.md.
public enum SchemaNumber {
  public static let container = 2
  public static let ledger = 1
}
