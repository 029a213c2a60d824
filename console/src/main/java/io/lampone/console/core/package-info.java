/** Figures of the console, computed from successive replies of the transaction managers. */
@NullMarked
package io.lampone.console.core;

import org.jspecify.annotations.NullMarked;
