// Visible in each file of these tests.
@_exported import Crypto
@_exported import Ground
@_exported import TestKit
