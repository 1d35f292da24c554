//! Functions of tokens.

alloy_sol_types::sol! {
    function balanceOf(address account) external view returns (uint256);
    function decimals() external view returns (uint8);
    function balanceOfBatch(address[] accounts, uint256[] ids) external view returns (uint256[]);
    function expiresAt(uint256 id) external view returns (uint64);
    function getTraitValue(uint256 id, bytes32 key) external view returns (bytes32);
    function ownerOf(uint256 id) external view returns (address);
    function tierOf(uint256 id) external view returns (uint8);
    function tokenOfOwner(address account) external view returns (uint256);
}
