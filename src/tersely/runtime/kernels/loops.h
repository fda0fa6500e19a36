/* The kernels of one instruction set: included once by each kernels_*.c, after vectors.h and the
   operations that it lists. numpy_backend.py is the reference; tests compare both. */

#include "activations.h"
#include "products.h"
#include "top_k.h"
