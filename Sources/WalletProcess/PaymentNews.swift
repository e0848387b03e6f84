import Crypto

/// What became of a payment of the wallet's own.
enum PaymentNews {
  case offered(Bytes32)
  case refused(Bytes32, String)
  case ended(Bytes32)
}
