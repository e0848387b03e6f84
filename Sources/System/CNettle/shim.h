#pragma once
#include <nettle/gcm.h>
