// Visible in each file of these tests.
@_exported import Crypto
@_exported import DaemonRuntime
@_exported import Foundation
@_exported import Glibc
@_exported import Ground
@_exported import Lightning
@_exported import PairSupport
@_exported import Platform
@_exported import ProcessSupport
@_exported import TestKit
