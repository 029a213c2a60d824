/** State of a node at one moment, for metrics, commands and people. */
@NullMarked
package io.lampone.tm.core.status;

import org.jspecify.annotations.NullMarked;
