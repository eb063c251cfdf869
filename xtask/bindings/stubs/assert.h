// Stands in for the C library's header: the bindings do not depend on the machine.
#pragma once
#define assert(condition) ((void)0)
