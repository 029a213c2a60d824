/** Admission control under overload. Independent of the network. */
@NullMarked
package io.lampone.tm.admission;

import org.jspecify.annotations.NullMarked;
