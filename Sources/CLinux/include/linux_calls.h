#pragma once
// System calls that Swift cannot import.
