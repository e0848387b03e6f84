// Visible in each file of these tests.
@_exported import Ground
@_exported import Guardrails
@_exported import TestKit
