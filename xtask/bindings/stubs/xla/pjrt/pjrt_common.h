// The C++ integer classes that the cross-host transfer extension puts in its C structs.
#pragma once
#include <stdint.h>
namespace xla {
using PjRtGlobalDeviceId = int32_t;
using CrossHostTransferKey = int64_t;
}
