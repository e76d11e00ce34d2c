#include <heddle/narrowing.h>
