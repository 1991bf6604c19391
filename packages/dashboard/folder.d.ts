export declare const folder: URL
