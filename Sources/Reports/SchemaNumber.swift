/// How many schema steps the databases of this version have. A program that knows fewer refuses a database. The programs
/// that write the databases count their own steps; a test compares these numbers with the tables of docs/schema.md.
public enum SchemaNumber {
  public static let container = 9
  public static let ledger = 15
}
