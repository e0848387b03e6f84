// Visible in each file of these tests.
@_exported import Crypto
@_exported import DaemonRuntime
@_exported import Ground
@_exported import Guardrails
@_exported import Lightning
@_exported import SharedContainer
@_exported import TestKit
@_exported import Wallet
