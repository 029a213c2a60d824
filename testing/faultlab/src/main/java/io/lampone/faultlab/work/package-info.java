/** Workloads of the clients, and their conditions, which hold for every judge. */
@NullMarked
package io.lampone.faultlab.work;

import org.jspecify.annotations.NullMarked;
