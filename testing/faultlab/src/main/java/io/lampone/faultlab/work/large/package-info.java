/**
 * Groups of many rows whose content follows from one stamp, so that every read of them is checked.
 */
@NullMarked
package io.lampone.faultlab.work.large;

import org.jspecify.annotations.NullMarked;
