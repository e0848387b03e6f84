// Visible in each file of these tests.
@_exported import Foundation
@_exported import ProcessSupport
@_exported import TestKit
