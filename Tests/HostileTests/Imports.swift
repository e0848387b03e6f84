// Visible in each file of these tests.
@_exported import Baton
@_exported import DaemonRuntime
@_exported import Foundation
@_exported import Glibc
@_exported import Ground
@_exported import PairSupport
@_exported import ProcessSupport
@_exported import TestKit
