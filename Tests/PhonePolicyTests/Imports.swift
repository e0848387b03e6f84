// Visible in each file of these tests.
@_exported import Ground
@_exported import TestKit
