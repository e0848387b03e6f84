// Visible in each file of these tests.
@_exported import Glibc
@_exported import Ground
@_exported import Guardrails
@_exported import Heartbeat
@_exported import Platform
@_exported import ProcessSupport
@_exported import TestKit
