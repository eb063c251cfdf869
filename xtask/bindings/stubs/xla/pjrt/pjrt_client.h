// The C++ names that extension headers mention after their C part.
#pragma once
#include "xla/pjrt/pjrt_common.h"
namespace xla {
struct PjRtCrossHostRecvNotifier;
struct PjRtBuffer {
  struct RemoteSendCallback;
};
}
