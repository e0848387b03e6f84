import Lightning

/// What the node says about splices.
enum SpliceNews {
  /// It has read what is half-way.
  case started(pending: TransactionID?)
  case begun(PendingSplice)
  case refused(String)
  case ended(TransactionID, SpliceEnd)
}
