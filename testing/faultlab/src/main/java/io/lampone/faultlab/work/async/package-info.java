/** Asynchronous transactions of the client behind the blocking interfaces of the workloads. */
@NullMarked
package io.lampone.faultlab.work.async;

import org.jspecify.annotations.NullMarked;
