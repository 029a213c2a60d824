/** Checks of the workloads besides isolation. */
@NullMarked
package io.lampone.faultlab.work.check;

import org.jspecify.annotations.NullMarked;
